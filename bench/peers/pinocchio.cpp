// Forward dynamics of a chain of bodies by Pinocchio's articulated-body algorithm.
//
// Reads from the file given: the number of joints and of states, the acceleration of gravity; for each body the axis of its
// joint, the place of the joint on the body before it, mass, centre of mass, inertia tensor about the centre of mass (six
// elements: 11 21 22 31 32 33); then for each state the angles and their velocities. Writes the time of one evaluation (the
// shortest of many bursts over all states, in seconds), and the accelerations of all states.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <vector>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/multibody.hpp>

namespace pin = pinocchio;

static Eigen::Vector3d vector(std::istream &in)
{
    Eigen::Vector3d v;
    in >> v[0] >> v[1] >> v[2];
    return v;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    std::ifstream in(argv[1]);
    const int bursts = std::atoi(argv[2]);
    int joints = 0, states = 0;
    double gravity = 0.0;
    in >> joints >> states >> gravity;
    pin::Model model;
    model.gravity.linear() = Eigen::Vector3d(0.0, 0.0, -gravity);
    pin::JointIndex parent = 0;
    for (int i = 0; i < joints; i++) {
        const Eigen::Vector3d axis = vector(in), place = vector(in);
        double mass = 0.0, I[6];
        in >> mass;
        const Eigen::Vector3d centre = vector(in);
        for (double &x : I)
            in >> x;
        Eigen::Matrix3d inertia;
        inertia << I[0], I[1], I[3], I[1], I[2], I[4], I[3], I[4], I[5];
        parent = model.addJoint(parent, pin::JointModelRevoluteUnaligned(axis),
                                pin::SE3(Eigen::Matrix3d::Identity(), place), "joint" + std::to_string(i));
        model.appendBodyToJoint(parent, pin::Inertia(mass, centre, inertia), pin::SE3::Identity());
    }
    pin::Data data(model);
    std::vector<Eigen::VectorXd> q, v;
    const Eigen::VectorXd tau = Eigen::VectorXd::Zero(joints);
    for (int s = 0; s < states; s++) {
        Eigen::VectorXd a(joints), b(joints);
        for (int i = 0; i < joints; i++)
            in >> a[i];
        for (int i = 0; i < joints; i++)
            in >> b[i];
        q.push_back(a);
        v.push_back(b);
    }
    if (!in)
        return 2;
    double shortest = 1e300, sum = 0.0;
    for (int burst = 0; burst < bursts; burst++) {
        const auto start = std::chrono::steady_clock::now();
        for (int s = 0; s < states; s++)
            sum += pin::aba(model, data, q[s], v[s], tau, pin::Convention::LOCAL)[0];
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        shortest = std::min(shortest, took.count() / states);
    }
    double world = 1e300;
    for (int burst = 0; burst < bursts; burst++) {
        const auto start = std::chrono::steady_clock::now();
        for (int s = 0; s < states; s++)
            sum += pin::aba(model, data, q[s], v[s], tau, pin::Convention::WORLD)[0];
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        world = std::min(world, took.count() / states);
    }
    // Both conventions give the same accelerations; the faster one counts.
    std::printf("%.17g\n%.17g\n%.17g\n", shortest, world, sum);
    for (int s = 0; s < states; s++) {
        const auto &a = pin::aba(model, data, q[s], v[s], tau, pin::Convention::WORLD);
        for (int i = 0; i < joints; i++)
            std::printf("%.17g\n", a[i]);
    }
    return 0;
}
